// The commands of wings, in the order of the help.
import type { WingCommands } from '../cli/wings.ts';
import { PROOFS_COMMANDS } from './proofs/cli/commands.ts';
import { SELLING_COMMANDS } from './selling/cli/commands.ts';

export const COMMANDS: readonly WingCommands[] = [PROOFS_COMMANDS, SELLING_COMMANDS];
