// Stands in for the training engine in tests: answers /api/v1/healthz on the port it is told. Ends at once with the
// status in FAKE_ENGINE.
import { createServer } from 'node:http';

if (process.env.FAKE_ENGINE) {
  console.error('fake engine: cannot work');
  process.exit(Number(process.env.FAKE_ENGINE));
}
const port = Number(process.argv[process.argv.indexOf('--port') + 1]);
createServer((request, reply) =>
  reply.writeHead(request.url === '/api/v1/healthz' ? 200 : 404).end(JSON.stringify(process.argv.slice(2))),
).listen(port, '127.0.0.1');
process.on('SIGTERM', () => process.exit(0));
