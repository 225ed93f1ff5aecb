import { randomBytes } from 'node:crypto'
import { type Callers, type HttpApp, OutboundFetch } from '../platform/http/index.ts'
import { addInstallationRoutes } from '../platform/installation/index.ts'
import { addResourceRoutes } from '../platform/resource/index.ts'
import { addAssignmentRoutes, countUses } from './assignments/index.ts'
import { brandShape } from './brands/index.ts'
import { addContactRoutes } from './contacts/index.ts'
import type { Core } from './core.ts'
import { EmailActivity } from './deliveries/index.ts'
import {
  createReadContactData,
  emailShape,
  openReadContact,
  previewLinks,
  textOfHtml,
  withSampleLinks,
} from './emails/index.ts'
import { limitShape } from './limits/index.ts'
import { addMauticRoutes } from './mautic/index.ts'
import { createEmailUsage, createTemplateUsage } from './sending/index.ts'
import { addSuppressionRoutes } from './suppressions/index.ts'
import { addTemplateRoutes, createRenderTemplate, Versions } from './templates/index.ts'
import { addTransportRoutes, GoogleSignIn, openLastTests } from './transports/index.ts'

/** Adds the API of the core. */
export function addCoreRoutes(
  server: HttpApp,
  callers: Callers,
  core: Omit<Core, 'start' | 'idle' | 'stop'>,
): void {
  const { config, storage, keyring, clock, work, twig, lint, templateSources, references } = core
  const { transports, templates, emails, contacts, suppressions, mautics, limits, delivery } = core
  addInstallationRoutes(server, { installation: core.installation, callers })
  const activity = new EmailActivity(storage, clock)
  addResourceRoutes(server, emailShape, {
    service: emails,
    callers,
    extras: { usage: createEmailUsage(storage, activity) },
  })
  addResourceRoutes(server, brandShape, { service: core.brands, callers })
  addContactRoutes(server, { contacts, callers })
  addSuppressionRoutes(server, { suppressions, callers, clock })
  const client = new OutboundFetch({ rules: core.rules })
  server.addHook('onClose', () => client.close())
  const googleSignIn = new GoogleSignIn({
    keyring,
    clock,
    fetch: client.fetch,
    createCodeVerifier: () => randomBytes(32).toString('base64url'),
    publicUrl: config.publicUrl,
    endpoints: core.googleEndpoints,
  })
  addTransportRoutes(server, {
    transports,
    sendTest: core.sendTest.send,
    googleSignIn,
    lastTests: openLastTests({ storage, clock }),
    countUses: (ids, caller) => countUses(storage.tables(), ids, caller),
    callers,
    clock,
    dsnOptions: core.dsnOptions,
    defaultDsn: core.defaultDsn,
  })
  const extras = { usage: limits.usage }
  addResourceRoutes(server, limitShape, { service: limits, callers, extras })
  addMauticRoutes(server, { mautics, callers })
  // Rendered alone, templates have the links of previews.
  const links = config.publicUrl === undefined ? undefined : previewLinks(config.publicUrl)
  addTemplateRoutes(server, {
    templates,
    twig,
    lint,
    work,
    callers,
    render: createRenderTemplate(withSampleLinks(twig, links), templateSources, work),
    readContactData: createReadContactData(contacts, openReadContact(storage)),
    textOfHtml,
    versions: new Versions(storage, templates),
    usage: createTemplateUsage(storage, activity, references),
  })
  addAssignmentRoutes(server, { assignments: core.assignments, storage, mautics, callers })
  delivery.addRoutes(server, callers)
}
