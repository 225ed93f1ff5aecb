/** The process as a command sees it: tests bring their own. */
export interface Surroundings {
  env: Readonly<Record<string, string | undefined>>
  stdin: NodeJS.ReadStream
  stdout: { write(text: string): unknown; isTTY?: boolean }
  stderr: { write(text: string): unknown }
  cwd(): string
  once(signal: 'SIGINT' | 'SIGTERM', listener: () => void): unknown
}
