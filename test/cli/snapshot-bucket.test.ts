// `gazette snapshot --out s3://…` through the real command line: what it reads of the environment, and what it says.
import { expect, describe, it, onTestFinished } from 'vitest';
import { CREDENTIALS, startS3 } from '../snapshot/bucket/s3-server.ts';
import { gazette } from './run.ts';
import { makeStore } from './served.ts';
import { argumentsOf } from './snapshots.ts';

/** The variables of a bucket on a server. */
const variables = (url: string): Readonly<Record<string, string>> => ({
  AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
  AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
  AWS_REGION: 'eu-test-1',
  AWS_ENDPOINT_URL: url,
});

const NOTHING = { AWS_DEFAULT_REGION: '', AWS_SESSION_TOKEN: '', AWS_ENDPOINT_URL_S3: '' };

describe('gazette snapshot --out s3://', () => {
  it.each(['s3://registers', 's3://registers/', 's3://registers/open', 's3://registers/open/data/'])(
    'writes to the bucket (%s) and says so as for a folder; a later run writes nothing',
    async (out) => {
      const s3 = await startS3();
      onTestFinished(() => s3.close());
      const { path } = await makeStore(3);
      const env = { ...NOTHING, ...variables(s3.url) };
      const first = await gazette(argumentsOf(path, out), undefined, env);
      expect(first).toMatchObject({ code: 0, stderr: 'gazette: permits: 3 records, 10 files written\n' });
      const prefix = out.replace(/^s3:\/\/registers\/?/, '').replace(/([^/])$/, '$1/');
      expect(s3.objects.has(`${prefix}permits/index.html`)).toBe(true);
      expect([...s3.objects.keys()].every((key) => key.startsWith(prefix))).toBe(true);
      expect(await gazette(argumentsOf(path, out), undefined, env)).toMatchObject({
        stderr: 'gazette: permits: 3 records, 0 files written\n',
      });
    },
  );

  it('takes the region and the server from their other variables too', async () => {
    const s3 = await startS3();
    onTestFinished(() => s3.close());
    const { path } = await makeStore(1);
    const env = { ...NOTHING, ...variables('http://127.0.0.1:1'), AWS_REGION: '' };
    const others = { ...env, AWS_DEFAULT_REGION: 'eu-test-2', AWS_ENDPOINT_URL_S3: s3.url };
    expect(await gazette(argumentsOf(path, 's3://registers'), undefined, others)).toMatchObject({ code: 0 });
    expect(s3.seen[0]!.headers.authorization).toContain('/eu-test-2/s3/');
  });

  it.each(['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_REGION'])('names %s if it is missing', async (name) => {
    const { path } = await makeStore(1);
    const env = { ...NOTHING, ...variables('http://127.0.0.1:1'), [name]: '' };
    expect(await gazette(argumentsOf(path, 's3://registers/open'), undefined, env)).toMatchObject({
      code: 2,
      stderr: `gazette: --out s3://registers/open needs the variable ${name} (usage)\n`,
    });
  });

  it.each([
    's3://',
    's3://Registers',
    's3://registers/../other',
    's3://registers//open',
    's3://registers/open?x=1',
    's3:registers',
  ])('refuses %s, which names no bucket', async (out) => {
    const { path } = await makeStore(1);
    const { code, stderr } = await gazette(argumentsOf(path, out), undefined, {
      ...NOTHING,
      ...variables('http://a.example'),
    });
    expect([code, stderr]).toEqual([
      2,
      `gazette: --out must be a folder, or a bucket such as s3://registers/public, got "${out}" (usage)\n`,
    ]);
  });

  it.each(['nowhere', 'ftp://example.org', 'https://user:hunter2@example.org', 'https://example.org/?key=hunter2'])(
    'refuses the server %s without repeating it',
    async (url) => {
      const { path } = await makeStore(1);
      const { code, stderr } = await gazette(argumentsOf(path, 's3://registers'), undefined, {
        ...NOTHING,
        ...variables(url),
      });
      expect([code, stderr]).toEqual([
        2,
        'gazette: AWS_ENDPOINT_URL_S3 must be a URL such as https://s3.example.org (usage)\n',
      ]);
    },
  );

  it('prints no secret when the server refuses it', async () => {
    const s3 = await startS3();
    onTestFinished(() => s3.close());
    const { path } = await makeStore(1);
    const env = { ...NOTHING, ...variables(s3.url), AWS_SECRET_ACCESS_KEY: 'hunter2', AWS_SESSION_TOKEN: 'hunter3' };
    const { code, stderr } = await gazette(argumentsOf(path, 's3://registers'), undefined, env);
    expect(code).toBe(1);
    expect(stderr).toContain('403 SignatureDoesNotMatch');
    expect(stderr).not.toMatch(/hunter/);
  });
});
