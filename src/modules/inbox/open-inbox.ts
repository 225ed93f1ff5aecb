import type { Core } from '../../core/core.ts'
import type { Module } from '../../core/module.ts'
import type { Callers, HttpApp } from '../../platform/http/index.ts'
import { Inbox } from './inbox.ts'
import { addInboxRoutes } from './routes.ts'

const dayMs = 86_400_000
const megabyte = 1_048_576

/** Keeps what is sent through `inbox://local`. */
export class InboxModule implements Module {
  readonly inbox: Inbox

  constructor({ storage, keyring, clock, log, config, hooks }: Core) {
    const { inboxMegabytesMax, inboxKeepDays } = config
    const [bytesMax, keepMs] = [inboxMegabytesMax * megabyte, inboxKeepDays * dayMs]
    this.inbox = new Inbox({ storage, keyring, clock, log, bytesMax, keepMs })
    hooks.capture = this.inbox.capture
    hooks.captured.add((id) => this.inbox.has(id))
  }

  addRoutes(server: HttpApp, callers: Callers): void {
    addInboxRoutes(server, this.inbox, callers)
  }

  start(): void {
    this.inbox.pruning.start()
  }

  idle(): Promise<boolean> {
    return this.inbox.pruning.idle()
  }

  stop(): Promise<void> {
    return this.inbox.pruning.stop()
  }

  reseal(): Promise<string[]> {
    return this.inbox.reseal()
  }
}
