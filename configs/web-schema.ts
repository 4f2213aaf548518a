import { z } from 'zod';

const envName = z
  .string()
  .regex(/^[A-Z_][A-Z0-9_]*$/, 'is the name of an environment variable, e.g. SERPER_API_KEY');
const timeoutMs = z.int().min(100).max(600_000).optional();

/** Search and reading on the open web. Keys are named, never written here. */
export const webSearchSchema = z.strictObject({
  searcher: z.discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('serper'),
      apiKeyEnv: envName.default('SERPER_API_KEY'),
      endpoint: z.url().optional(),
      /** Language and country of the results, as the service names them, e.g. `en` and `us`. */
      language: z.string().min(2).max(10).optional(),
      country: z.string().min(2).max(10).optional(),
      timeoutMs,
    }),
    z.strictObject({
      kind: z.literal('mcp'),
      command: z.string().min(1).optional(),
      args: z.array(z.string()).optional(),
      passEnv: z.array(envName).optional(),
      url: z.url().optional(),
      tokenEnv: envName.optional(),
      tool: z.string().optional(),
      timeoutMs,
    }),
  ]),
  reader: z
    .discriminatedUnion('kind', [
      z.strictObject({
        kind: z.literal('direct'),
        /** Addresses, CIDR ranges and host names that may be read although they are private. */
        allow: z.array(z.string()).optional(),
        maxBytes: z
          .int()
          .min(1_024)
          .max(256 * 1024 * 1024)
          .optional(),
        timeoutMs,
        /** Pages of one host that a worker process reads at once, and the pause between their starts. */
        perHost: z.int().min(1).max(100).optional(),
        hostDelayMs: z.int().min(0).max(60_000).optional(),
        userAgent: z.string().optional(),
        respectRobots: z.boolean().optional(),
      }),
      z.strictObject({
        kind: z.literal('jina'),
        apiKeyEnv: envName.optional(),
        endpoint: z.url().optional(),
        timeoutMs,
      }),
    ])
    .default({ kind: 'direct' }),
  /** Search results that were paid for once are free while they are fresh, for every run of this store. */
  cache: z
    .strictObject({
      /** How long results are fresh; 0: every search is paid for. */
      searchHours: z.number().min(0).max(8_760).default(24),
      /** The same for a search that found nothing. */
      emptyMinutes: z.number().min(0).max(525_600).default(15),
      /** Searches that are kept. */
      searches: z.int().min(1).max(10_000_000).default(50_000),
    })
    .prefault({}),
});
export type WebSearchConfig = z.infer<typeof webSearchSchema>;
export type WebSearchInput = z.input<typeof webSearchSchema>;
