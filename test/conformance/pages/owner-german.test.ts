import { ownersWay } from './owners-way.ts';

ownersWay('de-DE');
