/** Stands for a secret. The API keeps the stored one where a DSN has it. */
export const mask = '********'

/** A DSN for reading: what stands before its hosts and in its options is masked. */
export function hideSecrets(dsn: string): string {
  return dsn
    .replace(/(:\/\/)\S*@/g, `$1${mask}@`)
    .replace(/([?&][\w-]*(?:token|secret|password|key)[\w-]*=)[^&\s)]*/gi, `$1${mask}`)
}

let lastMasked = { dsn: '', masked: '' }

/** Notes how the API masks a DSN. */
export function noteMask(dsn: string, masked: string): void {
  lastMasked = { dsn, masked }
}

/** A DSN as the API masks it, which then keeps the stored secrets; one that it has not seen, as for reading. */
export function maskDsn(dsn: string): string {
  return dsn === lastMasked.dsn ? lastMasked.masked : hideSecrets(dsn)
}
