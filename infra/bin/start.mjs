// npm start -- "question" [options of `wideseek ask`]
import './node-version.mjs';
import { runCli } from './run-cli.mjs';

runCli(['ask', ...process.argv.slice(2)]);
