import type { Migrations } from '../storage/index.ts'

/**
 * Removes what earlier versions stored and this one does not use. The migrations that created it are changed so that a new
 * database never has it; their names stay, because an older database has run them.
 */
export const removalMigrations: Migrations = {}
