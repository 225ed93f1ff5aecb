import type { Assignments } from '../assignments/index.ts'
import type { Auth, PasswordCost } from '../auth/index.ts'
import type { Config, ConfigReading } from '../config/index.ts'
import type { Contacts } from '../contacts/index.ts'
import type { DeliveryIntervals } from '../delivery/index.ts'
import type { Dkim } from '../dkim/index.ts'
import type { Emails } from '../emails/index.ts'
import type {
  ReportReceiver,
  TransportWebhookCounts,
  TransportWebhookStore,
} from '../feedback/index.ts'
import type { Gateway } from '../gateway/index.ts'
import type { Inbox } from '../inbox/index.ts'
import type { ByteBudget } from '../kit/byte-budget.ts'
import type { Caller } from '../kit/caller.ts'
import type { Clock } from '../kit/clock.ts'
import type { Log } from '../kit/log.ts'
import type { WorkQueue } from '../kit/work-queue.ts'
import type { Limiter, Limits } from '../limits/index.ts'
import type { Mautics } from '../mautic/index.ts'
import type { EmailReferences } from '../messages/index.ts'
import type { Metrics } from '../metrics/index.ts'
import type { DeletedRecords } from '../resource/index.ts'
import type { Senders } from '../senders/index.ts'
import type { Keyring, Storage } from '../storage/index.ts'
import type { Suppressions } from '../suppressions/index.ts'
import type { LintTemplate, StoredTemplates, Templates } from '../templates/index.ts'
import type { GoogleEndpoints, RefreshTokens, SendTest, Transports } from '../transports/index.ts'
import type { Twig } from '../twig/index.ts'
import type { EventPublisher, Webhooks } from '../webhooks/index.ts'

export interface AppOptions {
  config: Config
  /** The settings as they were read at the start, for people. */
  reading?: Pick<ConfigReading, 'warnings' | 'settings'>
  /** Reads the configuration again, for files that have changed, such as certificates. Throws an AppError (`invalid`). */
  rereadConfig: () => Config
  log: Log
  clock: Clock
  /** Returns random text, for request ids and the first administrator's password. */
  createSecret: () => string
  /** Shows the operator how the first administrator logs in, once. */
  showFirstLogin: (login: FirstLogin) => void
  /** For one command: the caller of every request, which needs no log-in then, and what it asks. Default: the server of a service. */
  command?: { caller: Caller; paths: ReadonlySet<string> | undefined } | undefined
  /** Default: those of a service. */
  intervals?: DeliveryIntervals | undefined
  /** Default: OWASP's recommendation. */
  passwordCost?: PasswordCost
  /** How long a Mautic may take to answer a forwarded request. Default: that of the gateway. */
  mauticAnswerMs?: number
  /** Default: those of Google. */
  googleEndpoints?: GoogleEndpoints
  /** Sends requests to the APIs of providers. Default: by the outbound policy. */
  providerFetch?: typeof fetch
}

/** How the first administrator of a new installation logs in. */
export interface FirstLogin {
  username: string
  /** Generated. */
  password: string
  /** Opens the console, which asks for a new password. */
  link: string
}

/** The open modules, but for the delivery, which uses most of them. */
export interface Modules {
  storage: Storage
  /** Where expensive synchronous work takes turns. */
  work: WorkQueue
  /** The memory for what is being received and read. */
  memory: ByteBudget
  keyring: Keyring
  deleted: DeletedRecords
  auth: Auth
  emails: Emails
  contacts: Contacts
  suppressions: Suppressions
  transports: Transports
  refreshTokens: RefreshTokens
  /** The keys that sign messages. */
  dkim: Dkim
  /** The webhooks of transports, and what they count. */
  transportWebhooks: TransportWebhookStore
  transportWebhookCounts: TransportWebhookCounts
  limits: Limits
  limiter: Limiter
  templates: Templates
  twig: Twig
  templateSources: StoredTemplates
  references: EmailReferences
  lint: LintTemplate
  assignments: Assignments
  mautics: Mautics
  gateway: Gateway
  inbox: Inbox
  /** Sends test messages. */
  sendTest: SendTest
  /** The From domains, and whether receivers will believe them. */
  senders: Senders
  /** Receives bounces and complaints by mail. */
  reportReceiver: ReportReceiver
  metrics: Metrics
  /** Queues events for webhooks. */
  events: EventPublisher
  webhooks: Webhooks
}
