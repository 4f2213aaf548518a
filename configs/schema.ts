import { z } from 'zod';
import { webSearchSchema } from './web-schema.ts';
import { agentsSchema } from '../domain/agents/limits.ts';
import { tokensSchema } from './tokens-schema.ts';

const price = z.strictObject({
  /** US dollars per million tokens. */
  promptUsdPerMillion: z.number().min(0),
  completionUsdPerMillion: z.number().min(0),
});

/** One model endpoint. Secrets are named, never written: `apiKeyEnv` is the name of an environment variable. */
const modelSchema = z.strictObject({
  /** `auto`: the endpoint that WIDESEEK_MODEL_URL names, else the built-in extractive policy. */
  provider: z.enum(['auto', 'extractive', 'openai', 'tokens']).default('auto'),
  model: z.string().default(''),
  /** OpenAI-compatible base URLs; an agent stays on one of them. */
  baseUrls: z.array(z.url()).default([]),
  apiKeyEnv: z
    .string()
    .regex(/^[A-Z][A-Z0-9_]*$/, 'must be the NAME of an environment variable, not a key')
    .optional(),
  /** `tags`: `<search>…</search>` and `<access>…</access>`, for models of the Search-R1 and ASearcher kind. */
  toolFormat: z.enum(['native', 'hermes', 'tags']).default('native'),
  /** Only for the provider `tokens`: token ids in, token ids and log-probs out; what rollouts for training use. */
  tokens: tokensSchema.optional(),
  temperature: z.number().min(0).max(2).default(1),
  seed: z.int().optional(),
  timeoutSeconds: z.number().positive().max(7200).default(300),
  prices: price.optional(),
  /** Task queue of this endpoint's calls, in place of `queues.model`; a worker has to serve it (configs/workers.yaml). */
  queue: z
    .string()
    .regex(/^[\w.-]{1,100}$/, 'must be the name of a task queue')
    .optional(),
  /** Merged into the request body, e.g. `{"chat_template_kwargs": {"enable_thinking": true}}`. */
  extraBody: z.record(z.string(), z.unknown()).optional(),
});
export type ModelConfig = z.infer<typeof modelSchema>;

const retrySchema = z
  .strictObject({
    attempts: z.int().min(1).max(50).default(6),
    firstSeconds: z.number().positive().max(600).default(2),
    maxSeconds: z.number().positive().max(3600).default(60),
  })
  .prefault({});

/** A run's whole configuration: `configs/<name>.yaml` after defaults and overrides. Unknown keys are errors. */
export const runConfigSchema = z.strictObject({
  agents: agentsSchema,
  /** `auto`: the question decides between a table and a single boxed answer. */
  answer: z.enum(['auto', 'table', 'boxed']).default('auto'),
  language: z.enum(['auto', 'en', 'zh']).default('auto'),
  /** Endpoints by name; a role names one: `models: { lead: big, subagent: small }`. See endpoints.ts. */
  endpoints: z.record(z.string(), modelSchema).default({}),
  models: z
    .strictObject({
      default: modelSchema.prefault({}),
      /** Where a role has an endpoint of its own; whole entries, not merged with `default`. */
      lead: modelSchema.optional(),
      subagent: modelSchema.optional(),
      single: modelSchema.optional(),
      /** Summarises pages, see `search.summary`; without one the judge of the environment does, else the default. */
      summariser: modelSchema.optional(),
    })
    .prefault({}),
  search: z
    .strictObject({
      /**
       * `corpus`: an index that `wideseek index` built. `server`: another system's `/retrieve` and `/access`.
       * `web`: the open web, see `web`.
       */
      provider: z.enum(['corpus', 'server', 'web']).default('corpus'),
      /** Search engine and page reader of the `web` provider. */
      web: webSearchSchema.optional(),
      /** Name of a corpus in `configs/corpus/`; it says where its index is: embedded, or in Qdrant. */
      corpus: z.string().default('sample'),
      /** Address of a `/retrieve` server; only for `server`. */
      url: z.url().optional(),
      topK: z.int().min(1).max(50).default(3),
      /** Tokens of one page that an agent sees at once; longer pages are read by page number. */
      pageTokens: z.int().min(100).max(100_000).default(6_000),
      /** Another model reads each page and reports what bears on the agent's intent (spec 2.9). */
      summary: z
        .strictObject({
          /** Default: where a summariser is configured, and in the reference profile. */
          on: z.boolean().optional(),
          /** Tokens of one page that the summariser sees at once; longer pages are read by page number. */
          pageTokens: z.int().min(100).max(1_000_000).default(7_000),
          /** Longest summary, in tokens. */
          replyTokens: z.int().min(64).max(100_000).default(1_500),
        })
        .prefault({}),
      /** Only addresses that a search of the run returned may be opened; with `followLinks` also those on pages it read. */
      onlyFound: z.boolean().default(false),
      followLinks: z.boolean().default(false),
    })
    .prefault({}),
  /** Ceilings of one run; null means none. When one is hit, the table so far is the result. */
  budget: z
    .strictObject({
      tokens: z.int().positive().nullable().default(null),
      usd: z.number().positive().nullable().default(null),
      minutes: z
        .number()
        .positive()
        .max(60 * 24 * 30)
        .default(120),
    })
    .prefault({}),
  /** Questions that the lead may ask back while it runs; after `seconds` it goes on with its own default. 0: never. */
  clarify: z
    .strictObject({
      seconds: z.number().min(0).max(86_400).default(0),
      questions: z.int().min(1).max(5).default(1),
    })
    .prefault({}),
  /** Retries of model, search and page calls; permanent errors (401, 403, 400) are never retried. */
  retry: z.strictObject({ model: retrySchema, tools: retrySchema }).prefault({ model: {}, tools: {} }),
  /** Task queues of slow, paid or rate-limited calls; `local` keeps a fast call with the workflow's own worker. */
  queues: z
    .strictObject({
      model: z.string().default('auto'),
      search: z.string().default('auto'),
      pages: z.string().default('auto'),
    })
    .prefault({}),
  /** History events after which a workflow continues as new at its next turn. */
  historyEvents: z.int().min(50).max(40_000).default(8_000),
});
export type RunConfig = z.infer<typeof runConfigSchema>;
