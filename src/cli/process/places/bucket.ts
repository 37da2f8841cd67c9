// `--out s3://bucket/prefix`: the bucket, with the server and the credentials from the variables that other programs of Amazon
// S3 read as well. No file with credentials is read, and no service of a machine in the cloud is asked for any.
import { GazetteError, quote } from '../../../errors.ts';
import type { SnapshotBucket } from '../../../snapshot/bucket/requests.ts';
import type { Io } from '../../io/io.ts';

/** The bucket that the destination names; null: it is a folder. @throws GazetteError `usage` */
export function bucketOf(out: string, { env }: Pick<Io, 'env'>): SnapshotBucket | null {
  if (!/^s3:/i.test(out)) return null;
  // Amazon's rules for names; parts of a prefix that are safe in addresses, and none that an address would leave out.
  const [, bucket, prefix] =
    /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/((?:[\w-][\w.-]*\/)*[\w-][\w.-]*)?\/?)?$/.exec(out) ?? [];
  if (bucket === undefined) {
    throw new GazetteError(
      'usage',
      `--out must be a folder, or a bucket such as s3://registers/public, got ${quote(out)}`,
    );
  }
  const given = (...names: readonly string[]): string | undefined =>
    names.map((name) => env[name]).find((value) => value);
  const needed = (...names: readonly string[]): string => {
    const value = given(...names);
    if (value !== undefined) return value;
    throw new GazetteError('usage', `--out ${out} needs the variable ${names[0]!}`, {
      details: { variable: names[0]! },
    });
  };
  const endpoint = given('AWS_ENDPOINT_URL_S3', 'AWS_ENDPOINT_URL');
  const sessionToken = given('AWS_SESSION_TOKEN');
  return {
    bucket,
    ...(prefix === undefined ? {} : { prefix }),
    accessKeyId: needed('AWS_ACCESS_KEY_ID'),
    secretAccessKey: needed('AWS_SECRET_ACCESS_KEY'),
    ...(sessionToken === undefined ? {} : { sessionToken }),
    region: needed('AWS_REGION', 'AWS_DEFAULT_REGION'),
    ...(endpoint === undefined ? {} : { endpoint: checkEndpoint(endpoint) }),
  };
}

/** @throws GazetteError `usage`, without the URL, which may contain a password */
function checkEndpoint(text: string): string {
  const url = URL.parse(text);
  const isPlain = url !== null && url.username + url.password + url.search + url.hash === '';
  if (isPlain && /^https?:$/.test(url.protocol)) return text;
  throw new GazetteError('usage', 'AWS_ENDPOINT_URL_S3 must be a URL such as https://s3.example.org', {
    details: { variable: 'AWS_ENDPOINT_URL_S3' },
  });
}
