import { loadRunConfig } from '../../configs/load.ts';
import { openEncoder } from '../../activities/search/encoder/open.ts';
import { parseStoreUrl } from '../../activities/store/url.ts';
import { ensureEncoderFiles } from '../../infra/local/artifacts.ts';
import { storeUrl, wideseekHome } from '../../infra/local/home.ts';
import { missingIndex } from '../run/corpus.ts';
import { withStore } from '../run/session.ts';
import { type Check, examine } from './check.ts';

export const checkNode: Check = () =>
  examine('node', async () => {
    const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
    const fits = major > 20 || (major === 20 && minor >= 3);
    return {
      state: fits ? 'ok' : 'fail',
      detail: process.versions.node,
      hint: fits ? undefined : 'Install 20.3 or newer',
    };
  });

export const checkStore: Check = (io) =>
  examine('store', async () => {
    const runs = await withStore(io, (store) => store.runs.list(1));
    const { label } = parseStoreUrl(storeUrl(wideseekHome(io.env), io.env));
    return { state: 'ok', detail: `${label}${runs.length === 0 ? ', no runs yet' : ''}` };
  });

export const checkIndex: Check = (io) =>
  examine('index', async () => {
    const { search } = await loadRunConfig('ask');
    if (search.provider !== 'corpus') return { state: 'ok', detail: `${search.provider} at ${search.url}` };
    if ((await missingIndex(io, search.corpus)) === 'none')
      return { state: 'ok', detail: `"${search.corpus}" is ready` };
    return {
      state: 'warn',
      detail: `"${search.corpus}" is not built yet`,
      hint: `The first question builds it; or run: wideseek index ${search.corpus}`,
    };
  });

export const checkEncoder: Check = () =>
  examine('encoder', async () => {
    let why = '';
    const encoder = await openEncoder(
      'minilm',
      () => ensureEncoderFiles(),
      (line) => (why = line),
    );
    if (encoder.dimensions === 0) return { state: 'warn', detail: why };
    const [vector] = await encoder.embed(['query'], 'query');
    return vector?.length === encoder.dimensions
      ? { state: 'ok', detail: `${encoder.name}, ${encoder.dimensions} dimensions` }
      : {
          state: 'fail',
          detail: `${encoder.name} gives ${vector?.length ?? 0} of ${encoder.dimensions} numbers`,
        };
  });
