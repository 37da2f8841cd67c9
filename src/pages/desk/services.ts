// What the pages of the desk need, and who asks for them.
import type { DeskImports } from '../../operate/desk/desk-imports.ts';
import type { DeskRecords } from '../../operate/desk/desk-records.ts';
import type { Editors } from '../../operate/desk/editors.ts';
import type { FourEyes } from '../../operate/desk/four-eyes.ts';
import type { NewRegisters } from '../../operate/desk/new-registers.ts';
import type { Uploads } from '../../operate/desk/uploads.ts';
import type { SignInMail } from '../../operate/sign-in-mail.ts';
import type { SignIns } from '../../operate/sign-in.ts';
import type { Editor } from '../../stores/contract/desk/editors.ts';
import type { ServiceStore } from '../../stores/contract/accounts.ts';
import type { PageContext, PageOptions } from '../services.ts';

/** What all pages of the desk share. */
export interface DeskServices {
  readonly signIns: SignIns<Editor>;
  /** Sends links by e-mail. Null: the operator hands them out. */
  readonly mail: SignInMail | null;
  readonly editors: Editors;
  /** What they upload. Null: they can upload nothing. */
  readonly uploads: Uploads | null;
  /** The registers that they make of files. Null: they can upload nothing. */
  readonly makes: NewRegisters | null;
  readonly store: ServiceStore;
  readonly imports: DeskImports;
  readonly records: DeskRecords;
  /** Where `other`, whatever readers would see is a proposal that another editor approves. */
  readonly approve: FourEyes;
  readonly options: PageOptions;
  /** The clock, in milliseconds since 1970. */
  readonly now: () => number;
}

/** An editor who is signed in, and asks. */
export interface DeskRequest {
  readonly context: PageContext;
  readonly editor: Editor;
  /** Of the session. */
  readonly secret: string;
}
