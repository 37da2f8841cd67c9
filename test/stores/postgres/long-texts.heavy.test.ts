import { inject } from 'vitest';
import { longTextsContract } from '../../contracts/long-texts-contract.ts';

longTextsContract(inject('postgresUrl'));
