import { ownersWay } from './owners-way.ts';

ownersWay('en-GB');
