import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { Resource } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor, type SpanProcessor } from '@opentelemetry/sdk-trace-base';
import { OpenTelemetryPlugin } from '@temporalio/interceptors-opentelemetry';
import type { RuntimeOptions } from '@temporalio/worker';
import { z } from 'zod';
import { invalidInput } from '../domain/errors.ts';

export interface Telemetry {
  /** For `Runtime.install`. */
  runtime: Pick<RuntimeOptions, 'telemetryOptions'>;
  /** Traces every workflow and activity; absent when traces are off. Also has to be given to the bundler. */
  tracing: OpenTelemetryPlugin | null;
  /** Sends what is still buffered. */
  flush: () => Promise<void>;
}

const address = z.string().regex(/^[\w.[\]:-]+:\d+$/, 'must be host:port, e.g. 127.0.0.1:9464');

/**
 * Metrics and traces through the SDK's own means, both off by default. `WIDESEEK_METRICS=host:port` serves
 * Prometheus metrics there; `WIDESEEK_OTLP_URL` sends traces to an OpenTelemetry collector over HTTP.
 * Throws `InvalidInput` naming the variable.
 */
export function readTelemetry(env: NodeJS.ProcessEnv): Telemetry {
  const bindAddress = env.WIDESEEK_METRICS ? check('WIDESEEK_METRICS', address, env.WIDESEEK_METRICS) : null;
  const url = env.WIDESEEK_OTLP_URL ? check('WIDESEEK_OTLP_URL', z.url(), env.WIDESEEK_OTLP_URL) : null;
  const spans = url === null ? null : new BatchSpanProcessor(new OTLPTraceExporter({ url }));
  return {
    runtime: bindAddress === null ? {} : { telemetryOptions: { metrics: { prometheus: { bindAddress } } } },
    tracing: spans && tracingPlugin(spans),
    flush: async () => spans?.forceFlush(),
  };
}

function check(name: string, schema: z.ZodType<string>, value: string): string {
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw invalidInput(name, parsed.error.issues[0]!.message);
  return parsed.data;
}

/** Workflow spans leave the sandbox through the processor, activity and client spans through a tracer on top of it. */
function tracingPlugin(spanProcessor: SpanProcessor): OpenTelemetryPlugin {
  const resource = new Resource({ 'service.name': 'wideseek' });
  const tracer = new BasicTracerProvider({ resource, spanProcessors: [spanProcessor] }).getTracer('wideseek');
  return new OpenTelemetryPlugin({ resource, spanProcessor, tracer });
}
