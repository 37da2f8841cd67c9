// What `npm run gazette` starts. npm runs a script in the folder of package.json and says in INIT_CWD where the caller
// is: paths on the command line are the caller's, so the process goes back there before anything reads one.
const { INIT_CWD } = process.env;
if (INIT_CWD !== undefined) process.chdir(INIT_CWD);
await import('./gazette.ts');
