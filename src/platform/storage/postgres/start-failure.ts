import type { FailureAdvice } from '../storage-error.ts'

const checkUrl = 'Check MAILYARD_DATABASE_URL.'
const tls = 'Check `sslmode` and `sslrootcert` in MAILYARD_DATABASE_URL.'

/** By SQLSTATE, or by the code of Node (https://www.postgresql.org/docs/current/errcodes-appendix.html). */
const byCode = new Map<string, [problem: string, advice: string]>([
  ['28P01', ['it refuses the password', 'Check user and password in MAILYARD_DATABASE_URL.']],
  ['28000', ['it refuses the user', 'Check the user in MAILYARD_DATABASE_URL and pg_hba.conf.']],
  ['3D000', ['the database does not exist', 'Create it, for example with `createdb`.']],
  ['42501', ['the user may not create tables', 'Make the user the owner of the database.']],
  ['53300', ['it has no connection left', 'Raise max_connections, or stop other programs.']],
  ['53100', ['its disk is full', 'Free some space on its disk.']],
  ['57P03', ['it is starting up or shutting down', 'Try again in a moment.']],
  ['25006', ['it is read-only', 'Name the primary server in MAILYARD_DATABASE_URL.']],
  ['ECONNREFUSED', ['nothing listens there', `Start PostgreSQL. ${checkUrl}`]],
  ['ENOTFOUND', ['the host is unknown', 'Check the host in MAILYARD_DATABASE_URL.']],
  ['EAI_AGAIN', ['the host cannot be looked up', 'Check the host and the name server.']],
  ['ENOENT', ['there is no socket there', `Start PostgreSQL. ${checkUrl}`]],
  ['EACCES', ['this user may not use its socket', 'Check the rights of the socket.']],
  ['ETIMEDOUT', ['it does not answer', 'Check the host, the port and the firewall.']],
  ['EHOSTUNREACH', ['the host cannot be reached', 'Check the host and the network.']],
  ['ENETUNREACH', ['the network cannot be reached', 'Check the host and the network.']],
  ['ECONNRESET', ['it closed the connection', `Check that PostgreSQL listens there. ${checkUrl}`]],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', ['its certificate is not trusted', tls]],
  ['SELF_SIGNED_CERT_IN_CHAIN', ['its certificate is not trusted', tls]],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', ['its certificate is not trusted', tls]],
  ['ERR_TLS_CERT_ALTNAME_INVALID', ['its certificate is for another host', tls]],
])
/** What `pg` says without a code. */
const byMessage: readonly [RegExp, [problem: string, advice: string]][] = [
  [/does not support SSL/, ['it offers no TLS', tls]],
  [/SASL|password must be a string/, ['it asks for a password', 'Add one to the URL.']],
  [/timeout/, ['it does not answer', 'Check the host, the port and the firewall.']],
  [/terminated/, ['it closed the connection', `Check that PostgreSQL listens there. ${checkUrl}`]],
]

/** Why PostgreSQL cannot be used, and what to do; undefined for errors that are not the server's. */
export function explainPostgresFailure(error: unknown, url: string): FailureAdvice | undefined {
  const { code = '', message = '' } = Object(error) as NodeJS.ErrnoException
  const known = byCode.get(code) ?? byMessage.find(([pattern]) => pattern.test(message))?.[1]
  if (known === undefined) return undefined
  const [problem, advice] = known
  return { subject: `The database ${describeUrl(url)}`, problem, advice }
}

/** Host, port, database and user, and never the password. */
function describeUrl(url: string): string {
  const { hostname, port, pathname, username, searchParams } = new URL(url)
  const host = searchParams.get('host') ?? (hostname || 'localhost')
  const name = decodeURIComponent(pathname.slice(1)) || username
  const user = username === '' ? '' : ` (user ${decodeURIComponent(username)})`
  return `"${name}" at ${host}:${port || '5432'}${user}`
}
