#!/usr/bin/env node
import './node-version.mjs';
import { runCli } from './run-cli.mjs';

runCli(process.argv.slice(2));
