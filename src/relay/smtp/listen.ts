import type { Server } from 'node:net'
import { AppError } from '../../kit/app-error.ts'

/** Begins to listen. Throws an AppError that names the setting to change. */
export function listen(
  server: Server,
  { host, port, setting }: { host: string; port: number; setting: string },
): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(new AppError('conflict', 'smtp_port', explain(error, { host, port, setting })))
    })
    server.listen({ host, port, backlog }, resolve)
  })
}

const backlog = 1_024

function explain(
  { code, message }: NodeJS.ErrnoException,
  { host, port, setting }: { host: string; port: number; setting: string },
): string {
  const where = `The SMTP door cannot listen on ${host}, port ${port}`
  switch (code) {
    case 'EADDRINUSE':
      return `${where}: another program does. Set ${setting} to another port, or leave it empty to open none.`
    case 'EACCES':
      return `${where}: this user may not. Set ${setting} to a port of 1024 or above.`
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `${where}: this machine has no such address. Set MAILYARD_SMTP_HOST to one that it has.`
    default:
      return `${where}: ${message}. See MAILYARD_SMTP_HOST and ${setting}.`
  }
}
