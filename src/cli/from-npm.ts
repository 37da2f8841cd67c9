// The entry of `npm run gazette`. npm runs a script in the folder of package.json and passes the caller's folder in
// INIT_CWD. Paths on the command line are relative to the caller's folder, so the process changes to it before it reads
// any.
const { INIT_CWD } = process.env;
if (INIT_CWD !== undefined) process.chdir(INIT_CWD);
await import('./gazette.ts');
