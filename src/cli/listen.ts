import type { HttpApp } from '../http/index.ts'
import { AppError } from '../kit/app-error.ts'

/** Opens the door of the API. Throws an AppError (`conflict`) that names the setting to change. */
export async function listen(
  server: HttpApp,
  { host, port }: { host: string; port: number },
): Promise<void> {
  const listenTextResolver = (address: string) => `listening at ${address}`
  try {
    await server.listen({ host, port, listenTextResolver })
  } catch (error) {
    const reason = explain(error as NodeJS.ErrnoException)
    const message = `The API cannot listen on ${host}, port ${port}: ${reason}`
    throw new AppError('conflict', 'api_port', message, { cause: error })
  }
}

function explain({ code, message }: NodeJS.ErrnoException): string {
  switch (code) {
    case 'EADDRINUSE':
      return 'another program does. Set MAILYARD_PORT to another port.'
    case 'EACCES':
      return 'this user may not. Set MAILYARD_PORT to a port of 1024 or above.'
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return 'this machine has no such address. Set MAILYARD_HOST to one that it has.'
    default:
      return `${message}. See MAILYARD_HOST and MAILYARD_PORT.`
  }
}
