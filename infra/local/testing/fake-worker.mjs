// Stands in for the worker in tests: answers /ready, ends on SIGTERM. FAKE_WORKER=<status> ends at once with it.
import { createServer } from 'node:http';

if (process.env.FAKE_WORKER) {
  console.error('fake worker: model.baseUrl is missing');
  process.exit(Number(process.env.FAKE_WORKER));
}
createServer((_, reply) => reply.writeHead(200).end()).listen(
  Number(process.env.WIDESEEK_HEALTH_PORT),
  '127.0.0.1',
);
process.on('SIGTERM', () => process.exit(0));
