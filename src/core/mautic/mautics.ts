import type { CallerMautic } from '../../kit/caller.ts'
import type { Clock } from '../../kit/clock.ts'
import { Hook } from '../../kit/hooks.ts'
import type { Log } from '../../kit/log.ts'
import { type MaybePromise, mapMaybe } from '../../kit/maybe-promise.ts'
import { Periodic } from '../../kit/periodic.ts'
import type { Unanswered } from '../../kit/unanswered.ts'
import { idleAll } from '../../kit/worker.ts'
import type { OutboundRules } from '../../libraries/mailer/index.ts'
import type { Auth, SecretLogin } from '../../platform/auth/index.ts'
import type { SmtpEndpoint } from '../../platform/config/index.ts'
import type { Installation } from '../../platform/installation/index.ts'
import {
  createLookUp,
  type Keyring,
  type LookUp,
  routesChannel,
  type Storage,
} from '../../platform/storage/index.ts'
import type { Suppressions } from '../suppressions/index.ts'
import { findTransportBrands, findTransportNames, type Transports } from '../transports/index.ts'
import { type CheckOptions, checkMautic } from './check/check-mautic.ts'
import type { CheckReport } from './check/check-report.ts'
import type { UnassignedRoute } from './check/examine-transport.ts'
import { DoNotContactList, type SuppressionTarget } from './do-not-contact/do-not-contact-list.ts'
import { mauticNotFound, notReinstalled } from './errors.ts'
import { ContactFinder } from './find/find-contacts.ts'
import { EmailFinder, UserFinder } from './find/find-records.ts'
import { SendFinder } from './find/find-sends.ts'
import { inTime } from './in-time.ts'
import { type Mautic, toLogin, toMautic } from './mautic.ts'
import { MauticClients } from './mautic-clients.ts'
import { MauticRecords, releaseTransport, restoreTransport } from './mautic-records.ts'
import { emailKind, userKind } from './mirror/mirror-records.ts'
import { MirrorStore } from './mirror/mirror-store.ts'
import { Synchronizer } from './mirror/synchronizer.ts'
import { sourceOf } from './reports/report.ts'
import { MauticReports } from './reports/reports.ts'
import { SenderDomains } from './sender-domains.ts'
import { StateStore } from './state-store.ts'
import { MauticStatuses, type StatusParts } from './status.ts'
import { openStoredSecrets, type StoredSecrets } from './stored-secrets.ts'
import type { MauticRow, MauticTables } from './table.ts'
import { OwnWebhooks } from './webhooks/own-webhooks.ts'
import { WebhookReceiver } from './webhooks/webhook-receiver.ts'
import { WebhookStore } from './webhooks/webhook-store.ts'

export interface MauticsOptions {
  storage: Storage
  clock: Clock
  keyring: Keyring
  installation: Pick<Installation, 'check' | 'unconfirmed'>
  log: Log
  auth: Pick<Auth, 'hooks' | 'findRoleIds'>
  transports: Pick<Transports, 'dependents'>
  /** Where they submit mail. */
  smtp: Pick<SmtpEndpoint, 'address'>
  /** Finds the addresses that the outbound policy allows. */
  rules: OutboundRules
  /** Returns when the last message of each Mautic came, in milliseconds since the epoch. */
  findLastMessages: StatusParts['findLastMessages']
  /** What addresses of Mailyard start with, without a slash at the end. */
  publicUrl: string
  /** Where the entries of their Do not contact lists are stored. */
  suppressions: SuppressionTarget & Pick<Suppressions, 'hooks'>
  /** How often reports are looked for that are due again, in milliseconds. Default: 5 s. */
  reportIdleMs?: number | undefined
}

interface MauticHooks {
  /** What is known of a reinstalled Mautic is deleted: its ids mean other records. */
  forgetting: Hook<[id: number]>
  /** Mautics were changed, also by another process. */
  changed: Hook<[]>
  /** A Mautic answers after an outage. */
  answering: Hook<[id: number]>
  /** Finds what mail of a Mautic without an assignment is sent through. */
  route: Hook<[mautic: CallerMautic], UnassignedRoute>
}

/** A message whose recipients may be on a Do not contact list. */
interface ListedMessage {
  emailId: number | undefined
  /** An answer that has not come and may change `emailId`. */
  emailUnanswered?: Unanswered | undefined
  /** Whether a person has decided that it is sent without an answer. */
  isDecided: boolean
}

/** Notified after a Mautic was changed. */
const mauticsChannel = 'mautics'
const pruneMs = 3_600_000
const noRoute: UnassignedRoute = { transport: undefined, reasons: [] }
const nameForm = /^[a-z0-9-]{1,63}$/

/** The connected Mautics, and what is known of their emails, users, contacts and messages. */
export class Mautics {
  readonly hooks: MauticHooks = {
    forgetting: new Hook(),
    changed: new Hook(),
    answering: new Hook(),
    route: new Hook(),
  }
  readonly records: MauticRecords
  readonly clients: MauticClients
  readonly emails: EmailFinder
  readonly users: UserFinder
  readonly contacts: ContactFinder
  readonly sends: SendFinder
  /** What is put on their Do not contact lists. */
  readonly reports: MauticReports
  readonly senderDomains: SenderDomains
  /** The webhooks that Mailyard created in them. */
  readonly webhooks: OwnWebhooks
  /** Applies what their webhooks say. */
  readonly webhookReceiver: WebhookReceiver
  /** The state of the synchronization. */
  readonly status: MauticStatuses
  readonly #options: MauticsOptions
  readonly #secrets: StoredSecrets
  readonly #states: StateStore
  readonly #list: DoNotContactList
  readonly #webhookStore: WebhookStore
  readonly #synchronizer: Synchronizer
  readonly #pruning: Periodic
  readonly #findRow: (id: number) => MaybePromise<MauticRow | undefined>
  readonly #findByName: LookUp<{ name: string }, MauticRow>
  readonly #findByLogin: LookUp<{ login: string }, MauticRow>
  #stopListening: (() => void) | undefined

  constructor(options: MauticsOptions) {
    const { storage, clock, keyring, log, suppressions, publicUrl, rules, auth, installation } =
      options
    this.#options = options
    this.#secrets = openStoredSecrets(storage, keyring)
    const secrets = this.#secrets
    const select = () => storage.tables<MauticTables>().selectFrom('mautics').selectAll()
    const findById = createLookUp(storage, ({ id }: { id: number }) =>
      select().where('id', '=', id),
    )
    const findRow = (id: number) => findById({ id })
    this.#findRow = findRow
    this.#findByName = createLookUp(storage, ({ name }) => select().where('name', '=', name))
    this.#findByLogin = createLookUp(storage, ({ login }) =>
      select().where('smtp_login', '=', login),
    )
    const clients = new MauticClients({
      findRow,
      secrets,
      clock,
      rules,
      onAnswering: (id) => this.hooks.answering.tell(id),
    })
    const emails = new MirrorStore(storage, emailKind)
    const users = new MirrorStore(storage, userKind)
    const states = new StateStore(storage)
    const store = new WebhookStore({ storage, secrets })
    const list = new DoNotContactList({
      storage,
      suppressions,
      log,
      onFound: (id, entries) => store.noteFound(id, entries, clock.now()),
    })
    this.clients = clients
    this.emails = new EmailFinder({ storage, clock, clients, states, store: emails })
    this.users = new UserFinder({ storage, clock, clients, states, store: users })
    this.contacts = new ContactFinder({ clock, clients, users: this.users })
    this.sends = new SendFinder({ storage, clock, clients })
    const { reportIdleMs: idleMs = 5_000 } = options
    this.reports = new MauticReports({ storage, clients, installation, clock, log, idleMs })
    this.senderDomains = new SenderDomains(storage, (id) => list.applyLater(id))
    this.webhooks = new OwnWebhooks({ store, clients, publicUrl, installation, clock, log })
    this.webhookReceiver = new WebhookReceiver({
      storage,
      findRow,
      secrets,
      clients,
      clock,
      log,
      states,
      reports: this.reports,
      senderDomains: this.senderDomains,
      suppressions,
      list,
      store,
    })
    this.status = new MauticStatuses({
      storage,
      states,
      emails,
      users,
      webhooks: store,
      findTransportNames: (ids) => findTransportNames(storage, ids),
      findLastMessages: options.findLastMessages,
    })
    this.records = new MauticRecords({
      storage,
      clock,
      secrets,
      statuses: this.status,
      webhooks: this.webhooks,
      clients,
      list,
      findTransportBrands,
      findRoles: auth.findRoleIds,
      mailerDsn: (login, password) => this.#mailerDsn(login, password),
      publicHost: new URL(publicUrl).hostname,
      // A new or changed Mautic is read at once, and applies in this process when the change is answered.
      onChanged: async () => {
        await this.hooks.changed.settle()
        this.#notify()
        storage.notify(routesChannel)
      },
    })
    auth.hooks.login.add((login) => this.findLogin(login))
    options.transports.dependents.add('mautics', {
      release: releaseTransport,
      restore: restoreTransport,
    })
    // A suppression is reported to the Mautics that it concerns.
    const { hooks } = suppressions
    hooks.added.add((added, tx) => this.reports.addSuppressions(added, tx))
    hooks.committed.add(() => this.reports.notify())
    hooks.removed.add((removed) => this.reports.takeBack(removed))
    hooks.notified.add((reported) => this.reports.findNotified(reported))
    this.#states = states
    this.#list = list
    this.#webhookStore = store
    this.#synchronizer = new Synchronizer({
      storage,
      installation,
      clock,
      log,
      clients,
      states,
      emails,
      users,
      webhooks: this.webhooks,
      list,
    })
    this.#pruning = new Periodic({
      task: () => this.#prune(),
      intervalMs: pruneMs,
      log,
      events: {
        failed: 'old data of Mautics not deleted',
        recovered: 'old data of Mautics deleted again',
      },
    })
  }

  /** Starts the synchronization and the reports. */
  start(): void {
    const { storage } = this.#options
    this.#stopListening = storage.listen(mauticsChannel, () => void this.hooks.changed.settle())
    for (const part of [this.#synchronizer, this.reports.outbox, this.#pruning]) part.start()
  }

  /** Resolves when nothing is due any more: whether something was. */
  idle(): Promise<boolean> {
    return idleAll([this.#synchronizer, this.#list, this.reports.outbox, this.#pruning])
  }

  async stop(): Promise<void> {
    this.#stopListening?.()
    const parts = [this.#pruning, this.#synchronizer, this.reports.outbox, this.#list]
    for (const part of parts) await part.stop()
    await this.clients.close()
  }

  /** Also finds an unpublished one. */
  findById(id: number): MaybePromise<Mautic | undefined> {
    return mapMaybe(this.#findRow(id), (row) => row && toMautic(row))
  }

  /** Returns undefined for an unknown or unpublished one. */
  findByName(name: string): MaybePromise<Mautic | undefined> {
    if (!nameForm.test(name)) return undefined
    return mapMaybe(this.#findByName({ name }), (row) =>
      row?.is_published ? toMautic(row) : undefined,
    )
  }

  /**
   * Returns how the Do not contact list of a Mautic counts for a message: by the `sendToDnc` of its email. Where that is not known
   * yet, it is waited for; where a person has decided about the message, its recipients on the list do not get it.
   */
  findListRule({ id, name }: CallerMautic, { emailId, emailUnanswered, isDecided }: ListedMessage) {
    const isIgnored = async () => {
      let unanswered = emailUnanswered
      if (unanswered === undefined) {
        if (emailId === undefined) return null
        const answered = this.emails.find(id, emailId)
        const email = await inTime(answered, null)
        const rule = email?.send_to_dnc ?? null
        if (email !== null) return rule === null ? null : Boolean(rule)
        unanswered = { problem: `Mautic ${JSON.stringify(name)} has not answered yet`, answered }
      }
      if (!(await this.emails.haveListRule(id))) return null
      return isDecided ? false : unanswered
    }
    return { source: sourceOf(id), isIgnored }
  }

  async listPublished(): Promise<Mautic[]> {
    const query = this.#options.storage.tables<MauticTables>().selectFrom('mautics').selectAll()
    const rows = await query.where('is_published', '=', true).orderBy('id').execute()
    return rows.map(toMautic)
  }

  /** Finds the caller of an SMTP log-in. Returns undefined where the Mautic is unpublished. */
  findLogin(login: string): MaybePromise<SecretLogin | undefined> {
    return mapMaybe(this.#findByLogin({ login }), (row) =>
      row?.is_published ? toLogin(row) : undefined,
    )
  }

  /** Checks a Mautic stage by stage. Throws an AppError (`not_found`, `conflict`). */
  async check(id: number, options: CheckOptions = {}): Promise<CheckReport> {
    const { signal, isWebhookLeftOut, onStage } = options
    const mautic = await this.findById(id)
    if (mautic === undefined) throw mauticNotFound(id)
    return checkMautic({
      mautic,
      client: await this.clients.get(id),
      webhook: await this.#webhookStore.read(id),
      http: this.clients.http,
      clock: this.#options.clock,
      findRoute: async () => (await this.hooks.route.first({ id, name: mautic.name })) ?? noRoute,
      signal,
      isWebhookLeftOut,
      onStage,
    })
  }

  /**
   * Reads a Mautic again whose ids mean other records than before. What was known of it and the assignments of its
   * emails and users are deleted. Throws an AppError (`conflict`) for any other Mautic.
   */
  async acceptReinstalled(id: number): Promise<void> {
    if (!(await this.#states.find(id))?.is_reinstalled) throw notReinstalled(id)
    await this.hooks.forgetting.call(id)
    await this.#states.forget(id)
    this.#notify()
  }

  /** Lets all processes see a change of a Mautic, and read what is due by it. */
  #notify(): void {
    this.#options.storage.notify(mauticsChannel)
    this.#synchronizer.notify()
  }

  /** Encrypts every secret with the current data key; returns the ids of the keys that are still in use. */
  reseal(): Promise<string[]> {
    return this.#secrets.reseal()
  }

  /** Returns the DSN with which a Mautic submits its mail. */
  #mailerDsn(login: string, password: string): string {
    const { smtp, publicUrl } = this.#options
    const { scheme, port } = smtp.address ?? { scheme: 'smtp', port: 2525 }
    return `${scheme}://${login}:${password}@${new URL(publicUrl).hostname}:${port}`
  }

  /** Deletes old rows. */
  async #prune(): Promise<void> {
    for (const part of [this.sends, this.reports.outbox, this.webhookReceiver, this.#list])
      await part.prune()
  }
}
