import type { Core } from '../../core/core.ts'
import type { Module } from '../../core/module.ts'
import { callerKey } from '../../kit/caller.ts'
import { Dns } from '../../libraries/dns/index.ts'
import type { Callers, HttpApp } from '../../platform/http/index.ts'
import { Dkim } from './dkim/dkim.ts'
import { addDkimRoutes } from './dkim/routes.ts'
import { examineDkim, examineSenders } from './examine-senders.ts'
import { addSenderRoutes } from './routes.ts'
import { removeTransportChecks } from './sender-checks.ts'
import { Senders } from './senders.ts'

/** Whether receivers believe the senders, and the keys that sign for them. */
export class SendersModule implements Module {
  readonly domains: Senders
  readonly dkim: Dkim
  readonly #core: Core
  readonly #dns: Dns

  constructor(core: Core) {
    const { storage, keyring, clock, log, published, hooks, transports, config } = core
    this.#core = core
    this.#dns = new Dns({ servers: config.dnsServers })
    this.dkim = new Dkim({
      storage,
      keyring,
      dns: this.#dns,
      clock,
      log,
      published,
      onUnsigned: (message) => hooks.unsigned.tell(message),
    })
    this.domains = new Senders({
      storage,
      clock,
      log,
      dns: this.#dns,
      transports,
      defaultDsn: core.defaultDsn,
      defaultFrom: core.defaultFrom,
      findOwnKey: (sender, check) => this.dkim.findKey(sender, check),
    })
    this.dkim.changed.add((domains) => this.domains.checker.forget(domains))
    hooks.keys = this.dkim.keys
    hooks.sent.add((sender) => this.domains.uses.note(sender))
    hooks.moved.add((question) => this.domains.findMoved(question))
    core.sendTest.alignment.add((question, caller) =>
      this.domains.checker.checkTest(question, callerKey(caller)),
    )
    transports.hooks.changingDsn.add(removeTransportChecks)
    transports.dependents.add('senders', {
      async release(id, tx) {
        await removeTransportChecks(id, tx)
        return {}
      },
    })
  }

  addRoutes(server: HttpApp, callers: Callers): void {
    addSenderRoutes(server, { senders: this.domains, callers })
    addDkimRoutes(server, { dkim: this.dkim, callers })
  }

  /** Reads the keys, for a process that only sends. */
  join(): Promise<void> {
    return this.dkim.keys.load()
  }

  async start(): Promise<void> {
    await this.dkim.start()
    await this.domains.start()
  }

  async idle(): Promise<boolean> {
    const isChecked = await this.dkim.checker.checking.idle()
    return (await this.domains.idle()) || isChecked
  }

  async stop(): Promise<void> {
    await this.domains.stop()
    await this.dkim.stop()
    this.#dns.close()
  }

  async examine(now: number) {
    const unsigned = this.dkim.keys.listUnsigned()
    return [
      ...(await examineDkim(this.#core, now, unsigned)),
      ...examineSenders(await this.domains.listUnaligned()),
    ]
  }

  reseal(): Promise<string[]> {
    return this.dkim.reseal()
  }
}
