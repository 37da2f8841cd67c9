// The account through its three coats: one list of scenarios, one list of refusals, one state of the store.
import { accountCoatsContract } from '../contracts/account-coats-contract.ts';
import { COMMAND_LINE } from './coats/command-line.ts';
import { HTTP } from './coats/http.ts';
import { PAGES } from './coats/pages.ts';
import { RULES } from './coats/rules.ts';

for (const coat of [COMMAND_LINE, HTTP, PAGES]) accountCoatsContract(coat, RULES);
