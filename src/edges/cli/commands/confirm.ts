import { exitCodes } from '../errors.ts'
import type { CommandContext } from '../output.ts'
import { operator, withApp } from '../session.ts'

/** `mailyard confirm`: lets a restored or moved database send what waits in it. */
export async function confirm({ environment, output }: CommandContext): Promise<number> {
  return withApp(environment, async ({ installation, config }) => {
    await installation.confirm(operator.name)
    const { publicUrl } = config
    const as = publicUrl === undefined ? '' : ` It is served as ${publicUrl}.`
    output.print({ publicUrl: publicUrl ?? null }, [
      `The database is confirmed: what waits in it is sent.${as}`,
    ])
    return exitCodes.ok
  })
}
