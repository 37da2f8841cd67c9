import { longTextsContract } from '../../contracts/long-texts-contract.ts';

longTextsContract(null);
