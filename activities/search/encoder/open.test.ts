import { describe, expect, it } from 'vitest';
import { WideseekError } from '../../../domain/errors.ts';
import { openEncoder } from './open.ts';

const missing = () => Promise.reject(new WideseekError('NotFound', 'offline'));

describe('openEncoder', () => {
  it('goes on by words only when the default cannot be had, and says so', async () => {
    const lines: string[] = [];
    const encoder = await openEncoder('minilm', missing, (line) => lines.push(line));
    expect([encoder.name, encoder.dimensions]).toEqual(['none', 0]);
    expect(lines).toEqual([expect.stringContaining('by words only: offline')]);
  });

  it('does not look for files when none are wanted', async () => {
    expect((await openEncoder('none', missing)).name).toBe('none');
  });

  it('never puts another model in the place of a named one', async () => {
    await expect(openEncoder('e5', missing)).rejects.toThrow('offline');
    const pinned = async () => ({ modelPath: 'm', tokenizerPath: 't', pinned: true });
    await expect(openEncoder('e5', pinned)).rejects.toThrow(/WIDESEEK_ENCODER_MODEL/);
  });

  it('does not hide that a file is broken', async () => {
    const broken = async () => ({ modelPath: '/no/model', tokenizerPath: '/no/tokenizer', pinned: true });
    await expect(openEncoder('minilm', broken)).rejects.toMatchObject({ type: 'ConfigError' });
  });
});
