// Loaded into a process with `--import`: counts the statements that it sends to PostgreSQL, and the commits among them.
// On SIGUSR2 it prints what it counted since the last signal.
import { createRequire } from 'node:module'

/** The part of a `pg` client that matters here. */
interface Client {
  query: (...args: unknown[]) => unknown
}

const { Client } = createRequire(import.meta.url)('pg') as { Client: { prototype: Client } }
const { query: send } = Client.prototype
const inTransaction = new WeakSet<Client>()
let statements = 0
let commits = 0

/** Whether the server writes a commit for it: for `commit`, and for a change outside of any transaction. */
function isCommit(text: string, client: Client): boolean {
  if (/^commit\b/i.test(text)) return true
  return !inTransaction.has(client) && /^\s*(with|insert|update|delete)\b/i.test(text)
}

Client.prototype.query = function (this: Client, ...args: unknown[]) {
  const [config] = args
  const text = typeof config === 'string' ? config : (config as { text?: string })?.text
  if (text !== undefined) {
    statements += 1
    if (isCommit(text, this)) commits += 1
    if (/^(begin|start transaction)\b/i.test(text)) inTransaction.add(this)
    if (/^(commit|rollback)\b/i.test(text)) inTransaction.delete(this)
  }
  return send.apply(this, args)
}

process.on('SIGUSR2', () => {
  process.stderr.write(`counted ${statements} statements, ${commits} commits\n`)
  statements = 0
  commits = 0
})
