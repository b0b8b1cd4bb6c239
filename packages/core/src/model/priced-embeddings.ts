import { costByPrices, type PriceSource } from "./cost.js";
import type { EmbeddingModel, EmbeddingRecord } from "./embedding-model.js";

/**
 * The same embedding model, whose results say what they cost (`cost`), where that is known. It goes around `cachedEmbeddings`:
 * what came from the cache then costs nothing. A price that is none is known only when the answer has come: its calls throw
 * `invalid_request`.
 */
export function pricedEmbeddings(model: EmbeddingModel, prices: PriceSource): EmbeddingModel {
  const priced = <T extends EmbeddingRecord>(record: T): T => {
    const cost = costByPrices(prices, record.model, record.usage);
    return cost === undefined ? record : { ...record, cost };
  };
  return {
    id: model.id,
    profile: model.profile,
    embedDocuments: async (texts, options) => priced(await model.embedDocuments(texts, options)),
    embedQuery: async (text, options) => priced(await model.embedQuery(text, options)),
  };
}
