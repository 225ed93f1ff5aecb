/** What a Mautic has not answered yet. */
export interface Unanswered {
  /** Why, as a clause. */
  problem: string
  /** Resolves once it has answered; rejects where it does not. */
  answered: Promise<unknown>
}
