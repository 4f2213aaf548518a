// Plain syntax on purpose: an old Node must be able to read this far and print the message.
const [major, minor] = process.versions.node.split('.').map(Number);

if (major < 20 || (major === 20 && minor < 3)) {
  console.error(`wideseek needs Node.js 20.3 or newer; this is ${process.versions.node}.`);
  console.error('Install a newer one (for example Node 20 or 22 LTS) and run the same command again.');
  process.exit(2);
}
