// The pages of the desk: the way in, and what an editor does there.
import type { PageRoute } from '../services.ts';
import { signInRoutes } from '../sign-in/routes.ts';
import { deskDoor } from './answers.ts';
import { deskImportRoutes } from './imports.ts';
import { deskLogRoute } from './log.ts';
import { newRegisterRoutes } from './new-register.ts';
import { deskOverviewRoute } from './overview.ts';
import { deskRecordRoutes } from './records.ts';
import { deskRegisterRoute } from './register.ts';
import type { DeskServices } from './services.ts';
import { deskSettingsRoute } from './settings.ts';
import { uploadRoutes } from './upload.ts';

/** All of them. */
export function deskRoutes(services: DeskServices): readonly PageRoute[] {
  const { uploads, makes } = services;
  return [
    ...signInRoutes(deskDoor(services)),
    deskOverviewRoute(services),
    deskLogRoute(services),
    deskRegisterRoute(services),
    ...deskImportRoutes(services),
    ...deskRecordRoutes(services),
    deskSettingsRoute(services),
    ...(uploads === null ? [] : uploadRoutes(services, uploads)),
    ...(makes === null ? [] : newRegisterRoutes(services, makes)),
  ];
}
