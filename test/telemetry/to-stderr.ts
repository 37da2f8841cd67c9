// For `node --import`: an SDK that writes each span to standard error, as one line of JSON.
import { collect } from './collected.ts';

collect((span) => process.stderr.write(`span ${JSON.stringify(span)}\n`));
