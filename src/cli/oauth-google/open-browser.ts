import { spawn } from 'node:child_process'
import type { CliEnvironment } from '../output.ts'

/** Opens a page in the browser of the desktop, where there is one. Failures are ignored: the page is printed as well. */
export function openBrowser(
  url: string,
  env: CliEnvironment['env'],
  platform: NodeJS.Platform = process.platform,
): void {
  const command = commandFor(url, env, platform)
  if (command === undefined) return
  const [program, ...args] = command
  const child = spawn(program, args, { stdio: 'ignore', detached: true, env })
  child.on('error', () => undefined)
  child.unref()
}

function commandFor(
  url: string,
  env: CliEnvironment['env'],
  platform: NodeJS.Platform,
): [string, ...string[]] | undefined {
  if (platform === 'darwin') return ['open', url]
  // `start` is a command of the shell, which would read the & of the address.
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler', url]
  const hasDesktop = [env['DISPLAY'], env['WAYLAND_DISPLAY']].some((display) => display)
  // Without a desktop, xdg-open would start a browser in the terminal.
  return hasDesktop ? ['xdg-open', url] : undefined
}
