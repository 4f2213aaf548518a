import type { ActivityInboundCallsInterceptor, ActivityInterceptorsFactory } from '@temporalio/worker';

/**
 * Beats for every activity that declares a heartbeat timeout, from its first line to its last, three times per
 * timeout. Without it a dead worker is noticed only at the end, and a cancellation never arrives. Details that the
 * activity itself reports (checkpoints) are kept: the beat repeats the latest.
 */
export const heartbeatInterceptor: ActivityInterceptorsFactory = (context) => {
  const timeout = context.info.heartbeatTimeoutMs;
  if (!timeout) return {};
  let details: unknown = context.info.heartbeatDetails;
  const send = context.heartbeat.bind(context);
  const remember = (latest?: unknown): void => {
    details = latest;
    send(latest);
  };
  Object.defineProperty(context, 'heartbeat', { value: remember });
  const inbound: ActivityInboundCallsInterceptor = {
    async execute(input, next) {
      const beat = setInterval(() => send(details), Math.max(100, timeout / 3));
      send(details);
      try {
        return await next(input);
      } finally {
        clearInterval(beat);
      }
    },
  };
  return { inbound };
};
