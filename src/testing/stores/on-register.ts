// An open store with one empty register, and helpers to write to it and to read its log: the setup of the suites of
// registers.
import type { RecordVersion } from '../../register/record.ts';
import type { BatchResult, RegisterStore, WithdrawResult } from '../../stores/contract/registers.ts';
import { around, group, type Test } from '../test.ts';
import { at, type OpenStore, permits, type say } from './said.ts';

/** The register `permits` in a store that is opened before each test and closed after it. */
export class OnRegister {
  store!: RegisterStore;

  /** Applies a batch, this many minutes after `at(0)`. */
  readonly apply = (minute: number, ...batch: ReturnType<typeof say>[]): Promise<BatchResult> =>
    this.store.apply('permits', batch, { recordedAt: at(minute) });

  readonly withdraw = (minute: number, ...names: string[]): Promise<WithdrawResult> =>
    this.store.withdraw(
      'permits',
      names.map((key) => `permits:${key}`),
      { recordedAt: at(minute) },
    );

  readonly redact = (minute: number, key: string): Promise<boolean> =>
    this.store.redact(`permits:${key}`, { recordedAt: at(minute) });

  /** The whole history of a record, newest first. */
  readonly history = async (key: string): Promise<readonly RecordVersion[]> =>
    (await this.store.history(`permits:${key}`, { offset: 0, limit: 100 }))!;

  /** The first hundred changes. */
  readonly changes = async (): Promise<readonly RecordVersion[]> =>
    (await this.store.changes('permits', { since: 0, limit: 100 })).versions;
}

/** Tests whose titles begin with the same words, each on an empty register. */
export function onRegister(
  test: Test,
  words: string,
  open: OpenStore,
  register: (it: Test, on: OnRegister) => void,
): void {
  const on = new OnRegister();
  let dispose: () => Promise<void>;
  const it = around(
    test,
    async () => {
      ({ store: on.store, dispose } = await open());
      await on.store.createRegister(permits());
    },
    () => dispose(),
  );
  group(it, words, (grouped) => {
    register(grouped, on);
  });
}
