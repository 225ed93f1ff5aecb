import type { Core } from '../../core/core.ts'
import type { Module } from '../../core/module.ts'
import { Inbox } from './inbox.ts'
import { addInboxRoutes } from './routes.ts'

const dayMs = 86_400_000
const megabyte = 1_048_576

/** Opens the inbox: from now on, what is sent through `inbox://local` is in it. */
export function openInbox({ storage, keyring, clock, log, config, hooks }: Core) {
  const { inboxMegabytesMax, inboxKeepDays } = config
  const [bytesMax, keepMs] = [inboxMegabytesMax * megabyte, inboxKeepDays * dayMs]
  const inbox = new Inbox({ storage, keyring, clock, log, bytesMax, keepMs })
  hooks.capture = (message, through) => inbox.capture(message, through)
  hooks.captured.add((id) => inbox.has(id))
  return {
    inbox,
    addRoutes: (server) => addInboxRoutes(server, inbox),
    start: () => inbox.pruning.start(),
    idle: () => inbox.pruning.idle(),
    stop: () => inbox.pruning.stop(),
    reseal: () => inbox.reseal(),
  } satisfies Module & { inbox: Inbox }
}
