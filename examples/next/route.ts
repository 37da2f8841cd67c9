// Exports in a Next.js application (tried with Next 16): keep this file as app/open-data/[...path]/route.ts, and permits.ts as
// app/open-data/permits.ts; Next wants the import without `.ts`. The exports are at /open-data/feeds/permits/records/export.csv.
import { exportHandler } from 'gazette';
import { permits } from '../permits.ts';

const handle = exportHandler(permits);

/** Next calls the function that has the method's name with a web-standard request. */
export function GET(request: Request): Promise<Response> {
  return handle(request);
}

export { GET as HEAD };
