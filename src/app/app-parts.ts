import type { Assignments } from '../assignments/index.ts'
import type { Auth } from '../auth/index.ts'
import type { Config } from '../config/index.ts'
import type { Contacts } from '../contacts/index.ts'
import type { Emails } from '../emails/index.ts'
import type { Inbox } from '../inbox/index.ts'
import type { Clock } from '../kit/clock.ts'
import type { Log } from '../kit/log.ts'
import type { Mailer } from '../mailer/index.ts'
import type { Door } from '../relay/index.ts'
import type { Sending } from '../sending/index.ts'
import type { Keyring, Storage } from '../storage/index.ts'
import type { LintTemplate, StoredTemplates, Templates } from '../templates/index.ts'
import type { Transports } from '../transports/index.ts'
import type { Twig } from '../twig/index.ts'

/** What an app is opened with. */
export interface AppOptions {
  config: Config
  /** The configuration as it is now: the files that settings name may be others. Throws as at the start. */
  rereadConfig: () => Config
  log: Log
  clock: Clock
  /** Text that nobody guesses: ids of requests, the first administrator's password. */
  createSecret: () => string
  /** Tells the operator, once, the password that was made up for the first administrator. */
  showPassword: (username: string, password: string) => void
}

/** The rooms, opened and knowing what they need of each other. */
export interface App {
  storage: Storage
  keyring: Keyring
  auth: Auth
  emails: Emails
  contacts: Contacts
  transports: Transports
  templates: Templates
  twig: Twig
  templateSources: StoredTemplates
  lint: LintTemplate
  assignments: Assignments
  inbox: Inbox
  mailer: Mailer
  sending: Sending
  /** Begins to send what is due. */
  start(): Promise<void>
  /** Opens the SMTP door where the configuration says; whoever opens it closes it before the app. */
  openDoor(): Promise<Door>
  close(): Promise<void>
}
