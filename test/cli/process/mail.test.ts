// The mail server of `gazette serve`: what is refused of its options, and what is said where nodemailer is not installed.
import { describe, expect, it } from 'vitest';
import { mailOf } from '../../../src/cli/process/mail.ts';
import { folder, gazetteProcess } from '../run.ts';

const SERVER = 'smtps://anna:hunter2@mail.example.org';
const BASE = 'https://registers.example.org';

/** Node finds every package but nodemailer, as where it was not installed. */
const WITHOUT_NODEMAILER = `
  import { registerHooks } from 'node:module';
  registerHooks({
    resolve(name, context, next) {
      if (name !== 'nodemailer') return next(name, context);
      throw Object.assign(new Error("Cannot find package 'nodemailer'"), { code: 'ERR_MODULE_NOT_FOUND' });
    },
  });`;

describe('the mail server', () => {
  it('is none where none is named', async () => {
    expect(await mailOf({ baseUrl: BASE })).toBeUndefined();
  });

  it.each([
    [{ smtp: 'mail.example.org', baseUrl: BASE }, /^--smtp must be a URL such as /],
    [{ smtp: 'https://anna:hunter2@mail.example.org', baseUrl: BASE }, /^--smtp must be a URL such as /],
    [{ smtp: SERVER }, /^--smtp needs --base-url/],
    [{ smtp: SERVER, baseUrl: BASE, mailFrom: 'Anna <anna@example.org>' }, /^--mail-from must be one address/],
  ])('is refused by name as %j, without its password', async (options, message) => {
    const error = await mailOf(options).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'usage', message: expect.stringMatching(message) as string });
    expect((error as Error).message).not.toContain('hunter2');
  });

  it.each([
    [{ smtp: SERVER, baseUrl: BASE }, 'no-reply@registers.example.org'],
    [{ smtp: SERVER, baseUrl: 'http://localhost:8080' }, 'no-reply@localhost'],
    [{ smtp: SERVER, baseUrl: BASE, mailFrom: 'Registers@example.org' }, 'registers@example.org'],
  ])('sends in the name of the service for %j', async (options, from) => {
    expect(await mailOf(options)).toMatchObject({ from });
  });

  it('needs nodemailer, and says how to install it', async () => {
    const hook = `--import=data:text/javascript,${encodeURIComponent(WITHOUT_NODEMAILER)}`;
    const store = `${await folder()}/store.db`;
    const args = ['serve', '--store', store, '--port', '0', '--smtp', SERVER, '--base-url', BASE];
    const { code, stderr } = await gazetteProcess(args, '', { NODE_OPTIONS: hook });
    expect([code, stderr]).toEqual([
      1,
      'gazette: --smtp needs the package nodemailer: npm install nodemailer (missing_peer)\n',
    ]);
  });
});
