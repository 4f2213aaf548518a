import { WideseekError } from '../../../domain/errors.ts';
import { fromHttp, type HttpFailure, providerMessage, type ServiceContext } from '../../provider-http.ts';
import { redact } from '../../redact.ts';

/** Longest message of an engine that is repeated in ours, in characters. */
const MESSAGE_CHARS = 400;

const MODEL_LOST = /\bmodel\b.{0,80}\b(?:not loaded|not found|unloaded|unknown)\b|\bno such model\b/is;
const CHECKPOINT_LOST = /\bcheckpoint\b.{0,200}\b(?:not found|does not exist)\b/is;
const DISK_FULL = /no space left|disk (?:is )?full|ENOSPC|quota exceeded|errno 28/i;
const OUT_OF_MEMORY = /out of memory|RESOURCE_EXHAUSTED|\bOOM\b|failed to allocate/i;
/** One engine refuses a batch of samples that mixes two versions of one model; alone each of them succeeds. */
const BUSY_ADAPTER = /cannot override already used adapter/i;

/**
 * The WideseekError of a refused call or a failed future. A model, session or checkpoint that the engine no longer has
 * is `NotFound`; a sequence number used for something else is `Conflict`; a full disk is `StorageFull`.
 */
export function engineFailure(
  call: string,
  failure: HttpFailure,
  service: string,
  context: ServiceContext = {},
): WideseekError {
  const text = failure.body ?? '';
  const said = redact(providerMessage(text).replace(/\s+/g, ' ').trim(), context.secrets);
  const message = `${service}: ${call}: ${said.slice(0, MESSAGE_CHARS) || `HTTP ${failure.status}`}`;
  const { status } = failure;
  if (DISK_FULL.test(said) || status === 507)
    return new WideseekError('StorageFull', message, { hint: "Free space on the engine's checkpoint disk" });
  if (status === 404 && /^not found$/i.test(said))
    return new WideseekError('BadRequest', `${message} (HTTP 404)`, {
      hint: "Check that the URL is the engine's address, without /api/v1",
    });
  if (status === 404 || (status < 500 && (MODEL_LOST.test(said) || CHECKPOINT_LOST.test(said))))
    return new WideseekError('NotFound', message, {
      hint: 'The engine may have been restarted. Create the model again from its last checkpoint',
    });
  if (status === 409)
    return new WideseekError('Conflict', message, {
      hint: 'This sequence number or name was already used for something else',
    });
  if (BUSY_ADAPTER.test(said)) return new WideseekError('Overloaded', message);
  if (OUT_OF_MEMORY.test(said))
    return new WideseekError('BadRequest', message, {
      hint: "Send fewer or shorter sequences per call, or set the engine's micro-batch size",
    });
  return fromHttp({ ...failure, body: `${call}: ${said}` }, service, context);
}

/** What is wrong with a reply whose status was fine, e.g. a proxy's page. */
export function unreadableReply(
  call: string,
  contentType: string,
  text: string,
  service: string,
): WideseekError {
  const html = /html/i.test(contentType) || /^\s*</.test(text);
  const what = html ? 'an HTML page' : `content of type ${contentType || 'unknown'}`;
  return new WideseekError('BadReply', `${service}: ${call}: ${what} instead of the engine's reply`, {
    hint: 'Check that the URL is the engine itself and no proxy in front of it answers',
  });
}
