const list = /^(failover|roundrobin)\(/
const single = /^([\w+.-]+):(?:\/\/)?(?:[^@/?#\s]*@)?([^/?#\s]*)/

/** Describes a DSN without its secrets: its scheme, and its server where it has one of its own. */
export function summarizeDsn(dsn: string): { scheme: string; server: string } {
  const [, listScheme] = list.exec(dsn) ?? []
  if (listScheme !== undefined) return { scheme: listScheme, server: '' }
  const [, scheme = '', host = ''] = single.exec(dsn) ?? []
  return { scheme, server: ['default', 'null', 'local', '********'].includes(host) ? '' : host }
}
