/** A piece of a message that is replaced; something is put in where `from` is `to`. */
export interface Edit {
  readonly from: number
  readonly to: number
  readonly bytes: Buffer
}
