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
});
export type WebSearchConfig = z.infer<typeof webSearchSchema>;
export type WebSearchInput = z.input<typeof webSearchSchema>;
