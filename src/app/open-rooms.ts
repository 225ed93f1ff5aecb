import type { Transaction } from 'kysely'
import { describeUserAssignment, describeUses, openAssignments } from '../assignments/index.ts'
import { openAuth } from '../auth/index.ts'
import type { Config } from '../config/index.ts'
import { describeOwned, openContacts } from '../contacts/index.ts'
import { type Emails, openEmails } from '../emails/index.ts'
import { type Inbox, openInbox } from '../inbox/index.ts'
import { createMailer, type Mailer, type ParseDsnOptions } from '../mailer/index.ts'
import { type Door, openRelay } from '../relay/index.ts'
import { createLintText, emailReferences, openSending, warnOfEmail } from '../sending/index.ts'
import type { Keyring, Storage } from '../storage/index.ts'
import {
  createLintTemplate,
  createVersionPruner,
  openTemplateSources,
  openTemplates,
} from '../templates/index.ts'
import { openTransports } from '../transports/index.ts'
import { createTwig } from '../twig/index.ts'
import type { App, AppOptions } from './app-parts.ts'

const dayMs = 86_400_000
const hourMs = 3_600_000
const secondMs = 1_000
const minuteMs = 60_000
const megabyte = 1_048_576

/** An opened database, with the keys to its secrets. */
export type RoomParts = AppOptions & { storage: Storage; keyring: Keyring }

/** Opens the rooms from the ground up, each with what it needs of those below. */
export function openRooms(parts: RoomParts): App {
  const { config, storage } = parts
  const auth = openAppAuth(parts)
  const twig = createTwig()
  const templateSources = openTemplateSources(storage, twig)
  const emails = openAppEmails(parts, { twig, templateSources })
  const contacts = openContacts({ ...parts, findOwners: (...asked) => auth.findUsers(...asked) })
  const transports = openTransports({ ...parts, dsnOptions: dsnOptionsOf(config), describeUses })
  const lint = createLintTemplate(twig, templateSources)
  const templates = openTemplates({ ...parts, lint })
  const assignments = openAssignments({ storage, emails, users: auth.users, transports })
  const resources = { auth, emails, contacts, transports, templates, assignments }
  const rendering = { twig, templateSources, lint }
  const versionPruner = createVersionPruner({ ...parts, keep: config.templateVersionsKeep })
  const inbox = openAppInbox(parts)
  const mailer = openMailer(config, inbox)
  const sending = openSending({
    ...parts,
    ...resources,
    ...rendering,
    mailer,
    defaultDsn: config.mailerDsn,
    defaultFrom: config.mailerFrom,
    keepDeliveriesMs: config.deliveriesKeepDays * dayMs,
    holdUncertainMs: config.uncertainHoldHours * hourMs,
  })
  return {
    ...parts,
    ...resources,
    ...rendering,
    inbox,
    mailer,
    sending,
    async start() {
      inbox.start()
      versionPruner.start()
      await sending.start()
    },
    openDoor: () => openAppDoor(parts, { auth, sending }),
    async close() {
      await sending.stop()
      await inbox.stop()
      await versionPruner.stop()
      await storage.close()
    },
  }
}

function openAppEmails(
  parts: RoomParts,
  { twig, templateSources }: Pick<App, 'twig' | 'templateSources'>,
): Emails {
  return openEmails({
    ...parts,
    lintText: createLintText(twig),
    findWarnings: warnOfEmail,
    usesTemplates: (email) => emailReferences(email, templateSources).length > 0,
  })
}

function openAppAuth(parts: RoomParts) {
  const { config } = parts
  return openAuth({
    ...parts,
    isApiEnabled: config.isApiEnabled,
    isBasicEnabled: config.isBasicAuthEnabled,
    lifetimes: {
      accessSeconds: config.accessTokenLifetimeMinutes * 60,
      refreshSeconds: config.refreshTokenLifetimeDays * 86_400,
    },
    describeUses: describeUserUses,
  })
}

/** What else changes with the deletion of a user; see `UsersOptions`. */
async function describeUserUses(id: number, tx: Transaction<object>): Promise<string | undefined> {
  const uses = [await describeOwned(id, tx), await describeUserAssignment(id, tx)]
  const told = uses.filter((use) => use !== undefined)
  return told.length === 0 ? undefined : told.join(' ')
}

function openAppDoor(
  { config, rereadConfig, ...parts }: RoomParts,
  { auth, sending }: Pick<App, 'auth' | 'sending'>,
): Promise<Door> {
  return openRelay({
    ...parts,
    sending,
    logins: auth.logins,
    host: config.smtpHost,
    port: config.smtpPort,
    securePort: config.smtpsPort,
    certificate: certificateOf(config),
    rereadCertificate: () => certificateOf(rereadConfig()),
    trustedNetworks: config.smtpTrustedNetworks,
    messageBytesMax: config.smtpMessageSizeMegabytesMax * megabyte,
    connectionsMax: config.smtpConnectionsMax,
    connectionsPerAddressMax: config.smtpConnectionsPerAddressMax,
    unauthenticatedMax: config.smtpUnauthenticatedMax,
    loginMs: config.smtpLoginSeconds * secondMs,
    rememberRefusalsMs: config.smtpRefusalMemoryMinutes * minuteMs,
  })
}

function certificateOf({ smtpTlsCertificate: certificate, smtpTlsKey: key }: Config) {
  return { certificate, key }
}

function openAppInbox(parts: RoomParts): Inbox {
  const { inboxMegabytesMax, inboxKeepDays } = parts.config
  return openInbox({
    ...parts,
    bytesMax: inboxMegabytesMax * megabyte,
    keepMs: inboxKeepDays * dayMs,
  })
}

function openMailer(config: Config, { capture }: Inbox): Mailer {
  const { outboundPolicy: mode, outboundAllow: allow, outboundDeny: deny } = config
  const { sourceAddresses, sendmailCommand } = config
  const command = sendmailCommand === undefined ? {} : { command: sendmailCommand }
  const policy = { mode, allow, deny }
  return createMailer({ policy, sourceAddresses, connectionsMax: 20, capture, ...command })
}

/** What the operator lets DSNs do. */
export function dsnOptionsOf({
  sendmailCommand,
  sourceAddresses,
}: Pick<Partial<Config>, 'sendmailCommand' | 'sourceAddresses'>): ParseDsnOptions {
  return { hasCommand: sendmailCommand !== undefined, hasInbox: true, sourceAddresses }
}
