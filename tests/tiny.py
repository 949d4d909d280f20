"""Small models of random weights, in folders as the libraries write them."""

from __future__ import annotations

import json
from pathlib import Path
from string import ascii_lowercase
from typing import Any

WORDS = ["the", "cat", "sat", "dog", "de", "la", "word", "on", "mat"]


def cutter(home: Path, *, lower: bool = False, **options: Any) -> Path:
    """A WordPiece tokenizer that knows some words and all letters, with BERT's marks."""
    import transformers
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    marks = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    letters = [f"{sign}{letter}" for letter in ascii_lowercase + "AB" for sign in ("", "##")]
    vocabulary = {piece: at for at, piece in enumerate(dict.fromkeys([*marks, *letters, *WORDS]))}
    made = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    if lower:
        made.normalizer = normalizers.Lowercase()
    made.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    made.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    library: Any = transformers
    library.PreTrainedTokenizerFast(
        tokenizer_object=made, pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]",
        sep_token="[SEP]", mask_token="[MASK]", **options,
    ).save_pretrained(home)  # fmt: skip
    return home


def model(home: Path, kind: str, **config: Any) -> Path:
    """A model of a kind (`Bert`, `T5`, ...) with its own random weights."""
    import torch
    import transformers

    library: Any = transformers
    torch.manual_seed(0)
    made = getattr(library, f"{kind}Config")(**{"vocab_size": 100, "pad_token_id": 0} | config)
    getattr(library, f"{kind}Model")(made).save_pretrained(home)
    return home


def bert(home: Path, *, lower: bool = False, limit: int = 30, **config: Any) -> Path:
    """A BERT of three layers with its tokenizer."""
    sizes = {
        "hidden_size": 16, "num_hidden_layers": 3, "num_attention_heads": 2,
        "intermediate_size": 32, "max_position_embeddings": 40, "initializer_range": 0.5,
    }  # fmt: skip
    return model(cutter(home, lower=lower, model_max_length=limit), "Bert", **sizes | config)


def gpt(home: Path, kind: str = "GPT2", **config: Any) -> Path:
    """A causal language model of two layers with its tokenizer, for at most 40 tokens."""
    sizes = {
        "hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2,
        "intermediate_size": 32, "max_position_embeddings": 40, "initializer_range": 0.5,
        "bos_token_id": 2, "eos_token_id": 3,
    }  # fmt: skip
    return model(cutter(home, bos_token="[CLS]", eos_token="[SEP]"), kind, **sizes | config)


def modules(home: Path, *parts: str, **files: Any) -> Path:
    """Add the files of sentence-transformers: its modules, and `name=content` of JSON files."""
    kinds = ("Transformer", "Pooling", *parts)
    kind = "sentence_transformers.models"
    named = [
        {"idx": at, "name": str(at), "path": f"{at}_{part}" if at else "", "type": f"{kind}.{part}"}
        for at, part in enumerate(kinds)
    ]
    (home / "modules.json").write_text(json.dumps(named))
    (home / "1_Pooling").mkdir(exist_ok=True)
    pooling = {"word_embedding_dimension": 16, "pooling_mode": "mean"}
    (home / "1_Pooling/config.json").write_text(json.dumps(pooling))
    for name, content in files.items():
        (home / f"{name}.json").write_text(json.dumps(content))
    return home


def roberta(home: Path, texts: list[str], limit: int | None = 64) -> Path:
    """A small RoBERTa and its tokenizer: other marks, other places, pieces of bytes."""
    import tokenizers
    import torch
    import transformers

    library: Any = transformers
    cut = tokenizers.Tokenizer(tokenizers.models.BPE())
    cut.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    marks = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    alphabet = tokenizers.pre_tokenizers.ByteLevel.alphabet()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=400, special_tokens=marks, initial_alphabet=alphabet, show_progress=False
    )
    cut.train_from_iterator(texts, trainer)
    cut.post_processor = tokenizers.processors.RobertaProcessing(("</s>", 2), ("<s>", 0))
    known = {"model_max_length": limit} if limit else {}
    library.RobertaTokenizerFast(tokenizer_object=cut, **known).save_pretrained(home)
    torch.manual_seed(0)
    config = library.RobertaConfig(
        vocab_size=400, hidden_size=32, num_hidden_layers=3, num_attention_heads=2,
        intermediate_size=64, max_position_embeddings=66,
    )  # fmt: skip
    library.RobertaModel(config).save_pretrained(home)
    return home


def infersent(home: Path, dimension: int, hidden: int = 3) -> Path:
    """The state of a small BiLSTM, named as InferSent's file names it."""
    import torch

    torch.manual_seed(0)
    layer = torch.nn.LSTM(dimension, hidden, bidirectional=True)
    file = home / "infersent.pkl"
    torch.save({f"enc_lstm.{name}": value for name, value in layer.state_dict().items()}, file)
    return file
