/** Whether the sources run, not the built package. */
const isCheckout = import.meta.filename.endsWith('.ts')
/** npm sets it for `npx` and for the scripts of a package. */
const isRunByNpm = process.env['npm_command'] !== undefined

/** The command as a person types it: that of a checkout, of a package in a project, or of one that is installed globally. */
export const commandName = isCheckout ? './mailyard' : isRunByNpm ? 'npx mailyard' : 'mailyard'
