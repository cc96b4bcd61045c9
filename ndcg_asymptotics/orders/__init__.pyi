from .distinguishing import Distinction as Distinction
from .distinguishing import GridDistinction as GridDistinction
from .distinguishing import distinguish as distinguish
from .prediction import PairPredictions as PairPredictions
from .prediction import predict_pair as predict_pair
