/** Something that the API would refuse. */
export interface Problem {
  readonly param: string;
  readonly message: string;
  readonly code: string | null;
  /** Default 400. */
  readonly status?: number;
}
