import { z } from 'zod';

/** The SDK dialect that the wire follows; engines ask for it and do nothing with it. */
export const SDK_VERSION = '0.25.0';
export const PROTOBUF = 'application/x-protobuf';

/** Request ids are numbers on some engines and strings on others; both mean the same future. */
const requestId = z.union([z.string().min(1), z.int()]).transform(String);

export const sessionSchema = z.looseObject({ session_id: z.string().min(1) });
export const futureSchema = z.looseObject({ request_id: requestId });
export const createdModelSchema = futureSchema.extend({ model_id: z.string().min(1) });
export const savedSchema = z.looseObject({ path: z.string().startsWith('tinker://') });
export const infoSchema = z.looseObject({ model_id: z.string(), status: z.string().optional() });
/** Replies whose content says nothing. */
export const emptySchema = z.unknown();

/** Numbers that JSON cannot write arrive as text or null. */
const metric = z
  .union([z.number(), z.enum(['NaN', 'Infinity', '-Infinity']), z.null()])
  .transform((value) => (value === null ? NaN : Number(value)));
export const stepSchema = z.looseObject({ metrics: z.record(z.string(), metric).nullish() });

export const checkpointsSchema = z.looseObject({
  checkpoints: z.array(z.looseObject({ checkpoint_id: z.string(), checkpoint_type: z.string() })),
});

/**
 * What an engine says about itself. Only the list of models belongs to the dialect; an engine of ours adds
 * `training`, which must agree with what the run was configured for.
 */
export const serverCapabilitiesSchema = z.looseObject({
  supported_models: z.array(z.looseObject({ model_name: z.string() })).default([]),
  training: z
    .object({
      reduction: z.enum(['sum', 'mean-of-means']),
      mean_over: z.enum(['call', 'step']),
      clip: z.boolean(),
      dual_clip: z.boolean(),
      forward: z.boolean(),
      gradient_norm_clip: z.boolean(),
      adam: z.enum(['all', 'learning-rate']),
    })
    .partial()
    .optional(),
});
export type ServerCapabilities = z.infer<typeof serverCapabilitiesSchema>;
